"""NLI(e, s): how far evidence entails and contradicts a sentence, by words and by the reader."""
