import type { ClusterSpec } from './scenario';

/** The two clusters of the demo: five machines with agents on NATS, one of which needs repair; and a single node that boots a minimal image and polls over HTTP. */
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
    transport: 'http',
    imageType: 'minimal-iso',
  },
];
