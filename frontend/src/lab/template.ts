/** A first notebook to profile in: PyTorch on whatever device there is. */
export const NOTEBOOK = {
  cells: [
    markdown(
      "# Neuron profile\n\nThe last cell is run under the profiler. Click an operator in the timeline to follow it " +
        "from its dispatch to the hardware. Where there is no Trainium, the times are simulated.",
    ),
    code("%load_ext neuron_nbprof\n%neuronprof_device auto"),
    code('import torch\n\nx = torch.randn(1024, 1024).to("neuron")\nweight = torch.ones(1024).to("neuron")'),
    code(
      "%%neuronprof profile\ny = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * weight\n" +
        "torch.neuron.synchronize()",
    ),
  ],
  metadata: { kernelspec: { name: "python3", display_name: "Python 3", language: "python" } },
  nbformat: 4,
  nbformat_minor: 4,
};

function markdown(source: string): object {
  return { cell_type: "markdown", metadata: {}, source };
}

function code(source: string): object {
  return { cell_type: "code", metadata: {}, source, outputs: [], execution_count: null };
}
