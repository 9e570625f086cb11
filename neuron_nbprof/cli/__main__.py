from . import main

main(prog_name="neuron-nbprof")
