"""x"""
def files(*a): return []
