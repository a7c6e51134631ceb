// What a call may ask for, and what this worker holds. Alphabetical by subject.
