//! Records and their states; one reader per format.
