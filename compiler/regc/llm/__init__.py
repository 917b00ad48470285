"""Language-model providers behind one method."""
