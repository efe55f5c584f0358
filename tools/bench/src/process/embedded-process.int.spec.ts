import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@muster/testing';
import { startEmbeddedProcess } from './embedded-process';

/** Stores its environment in its data directory and is ready. */
const PROGRAM = `
const { mkdirSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { MUSTER_DATA_DIRECTORY: folder, REST_PORT: port } = process.env;
mkdirSync(folder + '/nats', { recursive: true });
writeFileSync(folder + '/nats/nats-server.pid', '1');
writeFileSync(folder + '/environment.json', JSON.stringify(process.env));
createServer((request, response) => response.end()).listen(port, '127.0.0.1');
process.once('SIGTERM', () => process.exit());
`;

describe('the settings of a measured process', () => {
  const given = process.env;
  const directory = temporaryDirectory();
  afterEach(() => (process.env = given));
  afterAll(() => directory.remove());

  it('are those of the benchmark and not those of the shell', async () => {
    const tree = join(directory.path, 'tree');
    mkdirSync(tree);
    writeFileSync(join(tree, 'nx.json'), '{}');
    writeFileSync(join(tree, 'package.json'), '{}');
    writeFileSync(join(tree, 'main.js'), PROGRAM);
    const shell = {
      HTTP_LISTEN_PORT: '1',
      NATS_URL: 'nats://of-the-shell',
      PORT: '2',
      MUSTER_SAVE_INTERVAL_SECONDS: '3',
    };
    process.env = { ...given, ...shell, OF_THE_SYSTEM: 'kept' };
    const dataDirectory = join(directory.path, 'data');
    const own = { MUSTER_SAVE_INTERVAL_SECONDS: '4' };
    const muster = await startEmbeddedProcess(dataDirectory, join(tree, 'main.js'), own);
    await muster.stop();
    expect(JSON.parse(readFileSync(join(dataDirectory, 'environment.json'), 'utf8'))).toMatchObject({
      HTTP_LISTEN_PORT: '',
      NATS_URL: '',
      PORT: '',
      OF_THE_SYSTEM: 'kept',
      MUSTER_DATA_DIRECTORY: dataDirectory,
      ...own,
    });
  });
});
