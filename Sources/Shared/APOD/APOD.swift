// APOD
