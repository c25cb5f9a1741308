"""Other people's players: classes of course frameworks, programs in any language, compiled players."""
