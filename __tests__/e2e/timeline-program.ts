/** A training of eight steps for the tests of the timeline. */

/** The example's model and step, on any device, with its losses printed bit for bit. */
const TRAIN = `
import struct, sys, torch
sys.path.insert(0, 'examples')
import train_oom as example
device = DEVICE
torch.manual_seed(0)
torch.set_num_threads(1)
model = example.TinyTransformer(64, 32, 2).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for step in range(8):
    tokens = torch.arange(64, device=device).reshape(4, 16)
    loss = torch.nn.functional.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
    if device == 'cpu':
        print('loss', step, struct.pack('>f', loss.item()).hex(), flush=True)
END
`;
export const program = (device: 'cpu' | 'cuda', end = ''): string =>
  TRAIN.replace('DEVICE', `'${device}'`).replace('END', end);
