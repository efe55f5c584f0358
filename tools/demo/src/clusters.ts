import type { ClusterSpec } from './scenario';

/** The two clusters of the demo: five machines of which one needs repair, with agents on NATS, and a single node whose agent polls over HTTP and that boots from a minimal image. */
export const DEMO_CLUSTERS: readonly ClusterSpec[] = [
  {
    name: 'prod',
    controlPlaneCount: 3,
    machines: [{}, {}, {}, { fault: 'too-little-memory' }, {}],
    machineNetwork: '192.168.111.0/24',
    vips: { api: '192.168.111.100', ingress: '192.168.111.101' },
  },
  {
    name: 'edge',
    controlPlaneCount: 1,
    machines: [{ cpuCount: 16, memoryGib: 64 }],
    machineNetwork: '192.168.112.0/24',
    endpoint: 'http',
    imageType: 'minimal-iso',
  },
];
