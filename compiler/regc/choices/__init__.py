"""Closed questions to a language model: it chooses among numbers, sentences and words of the vocabulary that the compiler lists, and
writes nothing itself. Each answer is compiled at once; one that is refused goes back with the compiler's words.

question (one question and its re-asks), slots (what each place of a profile must answer, in words), mend (a place whose words stand no
longer), standing_words and likeness (what lost words can have become), rivals (what nothing reads beside a choice).
"""
