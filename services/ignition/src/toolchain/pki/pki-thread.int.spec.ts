import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { temporaryDirectory, threadFromSource } from '@muster/testing';
import { readClusterPki } from './cluster-pki';
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

  it('starts again after it ended because nothing was to be done', async () => {
    const thread = pkiThread({ ...THREAD, idleMs: 0 });
    const first = await thread.create(inputOf('one.example.com'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const second = await thread.create(inputOf('two.example.com'));
    expect([first, second].map(namesIn)).toEqual([
      expect.stringContaining('api.one.example.com'),
      expect.stringContaining('api.two.example.com'),
    ]);
  });

  it('fails with the message of the error when certificates cannot be created', async () => {
    const thread = pkiThread(THREAD);
    await expect(thread.create({ ...inputOf('one.example.com'), addresses: ['no address'] })).rejects.toThrow();
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
