PLACE = "beside the lesson"
