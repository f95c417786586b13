found = "beside the lesson"
