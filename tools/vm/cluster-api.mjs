/** The API and the machine-config server of the new cluster: objects in memory behind the certificates of the cluster. */
import { createServer } from 'node:https';
import { createSocket } from 'node:dgram';

const NTP_EPOCH_S = 2_208_988_800;
const condition = (type, status) => ({ type, status, message: '', lastTransitionTime: new Date().toISOString() });
const AVAILABLE = [condition('Available', 'True'), condition('Progressing', 'False'), condition('Degraded', 'False')];

/** Returns the body; undefined when the client closed the connection before its end, which a machine does when it is stopped. */
async function bodyOf(request) {
  const chunks = [];
  try {
    for await (const chunk of request) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch {
    return undefined;
  }
}

/** Starts the API. It answers once `serve` gave it the certificate, which exists when the cluster prepares. */
export async function startClusterApi() {
  const version = [{ state: 'Completed', version: '4.18.1' }];
  const objects = new Map([
    [
      '/apis/config.openshift.io/v1/clusterversions/version',
      { metadata: { name: 'version' }, status: { conditions: AVAILABLE, history: version, desired: version[0] } },
    ],
    [
      '/apis/config.openshift.io/v1/clusteroperators/console',
      {
        metadata: { name: 'console' },
        status: { conditions: AVAILABLE, versions: [{ name: 'operator', version: '4.18.1' }] },
      },
    ],
    [
      '/apis/machineconfiguration.openshift.io/v1/machineconfigs/rendered-master-1',
      { metadata: { name: 'rendered-master-1' } },
    ],
  ]);
  const asked = [];
  const server = createServer({}, async (request, answer) => {
    const path = decodeURIComponent(new URL(request.url, 'https://api').pathname);
    const body = await bodyOf(request);
    if (!body) return;
    asked.push(`${request.method} ${path}`);
    const reply = (status, document) => {
      answer.writeHead(status, { 'content-type': 'application/json' });
      answer.end(JSON.stringify(document));
    };
    if (request.method === 'POST') {
      const object = JSON.parse(body.toString());
      const place = `${path}/${object.metadata.name}`;
      if (objects.has(place)) return reply(409, { kind: 'Status', reason: 'AlreadyExists' });
      objects.set(place, object);
      return reply(201, object);
    }
    if (objects.has(path)) return reply(200, objects.get(path));
    // A collection is the last segment of a path; an object has one more segment.
    const isCollection = /\/(v1|v1beta1|v1alpha1|namespaces\/[^/]+)\/[a-z]+$/.test(path);
    if (!isCollection || request.method !== 'GET') return reply(404, { kind: 'Status', reason: 'NotFound' });
    const items = [...objects].filter(([name]) => name.startsWith(`${path}/`)).map(([, object]) => object);
    reply(200, { kind: 'List', metadata: {}, items });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    asked,
    /** @param {{ certificate: string, key: string, authority: string }} tls PEM texts */
    serve: ({ certificate, key, authority }) => {
      server.setSecureContext({ cert: certificate, key });
      const metadata = { name: 'default-ingress-cert', namespace: 'openshift-config-managed' };
      objects.set('/api/v1/namespaces/openshift-config-managed/configmaps/default-ingress-cert', {
        metadata,
        data: { 'ca-bundle.crt': authority },
      });
    },
    nodes: () => [...objects.keys()].filter((path) => path.startsWith('/api/v1/nodes/')),
    close: () => (server.closeAllConnections(), server.close()),
  };
}

/** Starts the machine-config server. A config is uploaded by the stand-in of bootkube and downloaded by each host. */
export async function startMachineConfigServer() {
  const configs = new Map();
  const server = createServer({}, async (request, answer) => {
    const body = await bodyOf(request);
    if (!body) return;
    if (request.method === 'PUT') configs.set(request.url, body);
    const config = configs.get(request.url);
    answer.writeHead(config ? 200 : 404, { 'content-type': 'application/vnd.coreos.ignition+json' });
    answer.end(request.method === 'GET' ? config : undefined);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: server.address().port,
    /** @param {{ certificate: string, key: string }} tls PEM texts */
    serve: ({ certificate, key }) => server.setSecureContext({ cert: certificate, key }),
    close: () => (server.closeAllConnections(), server.close()),
  };
}

/** Starts a time server (SNTP) and returns its port. */
export async function startTimeServer() {
  const socket = createSocket('udp4');
  socket.on('message', (request, { address, port }) => {
    const reply = Buffer.alloc(48);
    reply[0] = 0x24; // version 4, a server
    reply[1] = 2; // stratum
    reply[3] = 0xec; // precision
    reply.write('TEST', 12);
    const now = Date.now();
    for (const offset of [16, 32, 40]) {
      reply.writeUInt32BE(Math.floor(now / 1_000) + NTP_EPOCH_S, offset);
      reply.writeUInt32BE(Math.floor(((now % 1_000) / 1_000) * 2 ** 32), offset + 4);
    }
    request.copy(reply, 24, 40, 48);
    socket.send(reply, port, address);
  });
  await new Promise((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return { port: socket.address().port, close: () => socket.close() };
}
