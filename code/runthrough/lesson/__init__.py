"""Reading: a Markdown file becomes a `Lesson`, its prose and fences each with their lines."""
