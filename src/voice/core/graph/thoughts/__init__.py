"""Thoughts and their sentences: segmentation, distillation, approval, edits."""
