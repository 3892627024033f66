"""Trainings as the app sees them: started, followed, judged, begun again by themselves."""
