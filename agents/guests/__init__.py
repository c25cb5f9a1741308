"""Players from elsewhere: course classes, programs in any language, compiled players."""
