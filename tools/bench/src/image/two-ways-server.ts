import { createReadStream, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { openFileByteSource } from '@muster/adapter-filesystem';
import { customiseBootIso, readBootIsoLayout } from '@muster/boot-image';
import { portOf } from '@muster/nest-kit';
import { sendBody } from '@muster/service-image';

/**
 * Runs a process that serves one file in two ways: `/file` as a plain file, `/image` customised per request as the
 * image service does. It reports its port to the parent process and ends with it.
 */
async function serve(path: string): Promise<void> {
  const source = await openFileByteSource(path);
  const layout = await readBootIsoLayout(source);
  const { size } = statSync(path);
  const config = Buffer.from(JSON.stringify({ ignition: { version: '3.1.0' }, padding: 'x'.repeat(CONFIG_BYTES) }));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const [offset, end] = first === undefined ? [0, size] : [Number(first), Number(last) + 1];
    response.writeHead(first === undefined ? 200 : 206, { 'content-length': end - offset });
    if (request.url === '/file') {
      createReadStream(path, { start: offset, end: end - 1 }).pipe(response);
      return;
    }
    const image = await customiseBootIso(source, layout, { config, appendKargs: ['bench=1'] });
    await sendBody(response, image, [{ offset, length: end - offset }]);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1', () => process.send?.(portOf(server)));
}

/** Approximate size of a discovery document. */
const CONFIG_BYTES = 20_000;

process.once('disconnect', () => process.exit(0));
void serve(process.argv[2] ?? '');
