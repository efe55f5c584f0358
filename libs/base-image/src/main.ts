#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { errorMessage, isOneOf } from '@muster/schema';
import { ARCHITECTURES } from './architectures';
import { createBaseImage, DEFAULT_VOLUME_ID } from './create-base-image';

const USAGE = `Makes a small live ISO with the layout of a CoreOS image, to try Muster without downloading one.

  --out <file>          where to write it (required)
  --arch <name>         ${ARCHITECTURES.join(', ')} (default x86_64)
  --volume-id <id>      starts with rhcos-, fedora-coreos- or scos- (default ${DEFAULT_VOLUME_ID})
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      arch: { type: 'string', default: 'x86_64' },
      'volume-id': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  if (!values.out) throw new Error(`--out is missing.\n\n${USAGE}`);
  if (!isOneOf(ARCHITECTURES, values.arch)) {
    throw new Error(`--arch ${values.arch} is not known; use one of ${ARCHITECTURES.join(', ')}.`);
  }
  const image = await createBaseImage({
    outPath: values.out,
    architecture: values.arch,
    volumeId: values['volume-id'],
  });
  process.stdout.write(`${image.path}: ${image.volumeId}, ${image.bytes} bytes, sha256 ${image.sha256}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${errorMessage(error)}\n`);
  process.exitCode = 1;
});
