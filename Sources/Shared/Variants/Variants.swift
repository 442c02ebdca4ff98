// Variants
