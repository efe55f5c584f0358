import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '@muster/schema';
import { temporaryDirectory, threadFromSource } from '@muster/testing';
import { createClusterPki, readClusterPki } from './cluster-pki';
import { pkiThread } from './pki-thread';

const THREAD = threadFromSource(join(__dirname, 'pki.entry.ts'));
const inputOf = (domain: string) => ({
  domain,
  addresses: ['192.0.2.10'],
  serviceNetworks: ['172.30.0.0/16'],
  startedAt: '2026-01-02T03:04:05.000Z',
});
const namesIn = (text: string): string =>
  new X509Certificate(readClusterPki(text).pairs['kube-apiserver-lb-server'].certificatePem).subjectAltName ?? '';

describe('thread that creates certificates', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  it('gives each of several clusters its own certificates', async () => {
    const thread = pkiThread(THREAD);
    const domains = ['one.example.com', 'two.example.com', 'three.example.com'];
    const made = await Promise.all(domains.map((domain) => thread.create(inputOf(domain))));
    expect(made.map(namesIn)).toEqual(domains.map((domain) => expect.stringContaining(`DNS:api.${domain}`)));
    expect(new Set(made.map((text) => readClusterPki(text).pairs['root-ca'].certificatePem)).size).toBe(3);
  });

  it('is the same thread until nothing was to be done for the given time, then a new one', async () => {
    const entry = join(directory.path, 'numbers.cjs');
    const source = "parentPort.on('message', ({ id }) => parentPort.postMessage({ id, text: String(threadId) }));";
    writeFileSync(entry, `const { parentPort, threadId } = require('node:worker_threads');\n${source}`);
    const numbersWith = async (idleMs: number): Promise<readonly string[]> => {
      const thread = pkiThread({ entry, idleMs });
      const first = await thread.create(inputOf('one.example.com'));
      await new Promise((resolve) => setTimeout(resolve, 20));
      return [first, await thread.create(inputOf('two.example.com'))];
    };
    expect(new Set(await numbersWith(60_000)).size).toBe(1);
    expect(new Set(await numbersWith(0)).size).toBe(2);
  });

  it('fails with the message of the error when certificates cannot be created', async () => {
    const input = { ...inputOf('one.example.com'), addresses: ['no address'] };
    const message = await createClusterPki(input).then(() => '', errorMessage);
    expect(message).not.toBe('');
    await expect(pkiThread(THREAD).create(input)).rejects.toThrow(new Error(message));
  });

  it('fails what waits when the thread ends by itself', async () => {
    const entry = join(directory.path, 'ends.cjs');
    writeFileSync(entry, "require('node:worker_threads').parentPort.on('message', () => process.exit(3));");
    const thread = pkiThread({ entry });
    const waiting = [thread.create(inputOf('one.example.com')), thread.create(inputOf('two.example.com'))];
    for (const result of await Promise.allSettled(waiting))
      expect(result).toMatchObject({ reason: new Error('The thread that creates certificates ended with 3.') });
  });
});
