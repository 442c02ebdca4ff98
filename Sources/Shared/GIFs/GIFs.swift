// GIFs
