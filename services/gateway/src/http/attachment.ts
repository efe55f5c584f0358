import { StreamableFile } from '@nestjs/common';
import type { Readable } from 'node:stream';

/** A download as clients save it. `fileName` must be plain ASCII without quotes. */
export function attachment(body: Buffer | Readable, fileName: string): StreamableFile {
  const options = { type: 'application/octet-stream', disposition: `attachment; filename="${fileName}"` };
  return Buffer.isBuffer(body)
    ? new StreamableFile(body, { ...options, length: body.length })
    : new StreamableFile(body, options);
}
