"""Running: a `Job` becomes a `LessonResult`, in a process of its own."""
