import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { bufferByteSource, readBootIsoLayout, readKargs } from '@muster/boot-image';
import { type NatsServer, startNatsServer } from '@muster/testing';
import { coreOsIso } from '../coreos-iso.fixture.spec';
import { type ImageStage, INFRA_ENV_ID, openImageStage } from '../image-stage.fixture.spec';

describe('a client of HTTP/1.0', () => {
  let nats: NatsServer;
  let stage: ImageStage;
  beforeAll(async () => {
    nats = await startNatsServer();
    stage = await openImageStage(nats.url, {}, undefined, [
      { file: coreOsIso('x86_64'), openshift_version: '4.20', cpu_architecture: 'x86_64', version: '420' },
    ]);
  });
  afterAll(async () => {
    await stage.close();
    await nats.stop();
  });

  /** Returns the head and the body of the answer, which end with the connection. */
  const ask = async (...lines: readonly string[]): Promise<{ readonly head: string; readonly body: Buffer }> => {
    const { hostname, port } = new URL(stage.url);
    const socket = connect(Number(port), hostname);
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    const answer = await buffer(socket);
    const end = answer.indexOf('\r\n\r\n');
    return { head: answer.subarray(0, end).toString(), body: answer.subarray(end + 4) };
  };
  const rootfsIn = async (image: Buffer): Promise<string | undefined> => {
    const source = bufferByteSource(image);
    const { kargs } = await readBootIsoLayout(source);
    if (!kargs) throw new Error('the image has room for kernel arguments');
    return /rootfs_url="([^"]*)"/.exec(await readKargs(source, kargs))?.[1];
  };
  const MINIMAL = `/byid/${INFRA_ENV_ID}/4.20/x86_64/minimal.iso`;
  const ROOTFS = 'boot-artifacts/rootfs?arch=x86_64&version=420';

  it('gets a minimal image with the address that it reached when it names no host', async () => {
    const { head, body } = await ask(`GET ${MINIMAL} HTTP/1.0`);
    expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(await rootfsIn(body)).toBe(`${stage.url}/${ROOTFS}`);
    expect((await fetch((await rootfsIn(body)) ?? '')).status).toBe(200);
  });

  it('gets a minimal image with the host that it names', async () => {
    const { body } = await ask(`GET ${MINIMAL} HTTP/1.0`, 'Host: images.example.com:8080');
    expect(await rootfsIn(body)).toBe(`http://images.example.com:8080/${ROOTFS}`);
  });

  it('gets a range, and its connection ends', async () => {
    const { head, body } = await ask('GET /boot-artifacts/kernel?version=4.20 HTTP/1.0', 'Range: bytes=0-5');
    expect([head.slice(0, 12), body.toString()]).toEqual(['HTTP/1.1 206', 'kernel']);
  });
});
