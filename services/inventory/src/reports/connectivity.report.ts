import { flag, list, number, object, text } from '../shapes/shape';
import { digestOf, toCanonicalJson } from '../shapes/canonical-json';
import { parseOutput, toBody, toStoredBody } from './parse-output';
import type { ReportReader } from './report';

/** No more fits into a message of the bus. */
const MAX_CONNECTIVITY_BYTES = 8 * 1024 * 1024;
/** How many lost paths are named in the event. */
export const MAX_MTU_FAILURES = 32;

const shape = object({
  remote_hosts: list(
    object({
      host_id: text,
      l2_connectivity: list(
        object({
          outgoing_nic: text,
          outgoing_ip_address: text,
          remote_ip_address: text,
          remote_mac: text,
          successful: flag,
        }),
      ),
      l3_connectivity: list(
        object({
          outgoing_nic: text,
          remote_ip_address: text,
          successful: flag,
          average_rtt_ms: number,
          packet_loss_percentage: number,
        }),
      ),
      mtu_report: list(object({ outgoing_nic: text, remote_ip_address: text, mtu_successful: flag })),
    }),
  ),
});
type Connectivity = ReturnType<typeof shape>;

/** Who is reached from here. Round-trip times alone are no news: they change with every report. */
export const connectivityReader: ReportReader = {
  stepType: 'connectivity-check',
  maxBytes: MAX_CONNECTIVITY_BYTES,
  read: ({ output, epoch }) => {
    const connectivity = parseOutput(output, shape, 'connectivity report');
    const body = toBody(connectivity);
    const paths = (connectivity.remote_hosts ?? []).flatMap(({ mtu_report }) => mtu_report ?? []);
    return {
      body,
      event: {
        type: 'ConnectivityReported',
        data: {
          body: toStoredBody(body),
          epoch,
          fingerprint: fingerprintOf(connectivity),
          mtuMeasured: paths.length > 0,
          mtuFailures: paths
            .filter((path) => path.mtu_successful !== true)
            .slice(0, MAX_MTU_FAILURES)
            .map((path) => ({ nic: path.outgoing_nic ?? '', remoteAddress: path.remote_ip_address ?? '' })),
        },
      },
    };
  },
};

function fingerprintOf(connectivity: Connectivity): string {
  const steady = (connectivity.remote_hosts ?? []).map((remote) => ({
    ...remote,
    l3_connectivity: remote.l3_connectivity?.map((path) => ({
      ...path,
      average_rtt_ms: undefined,
      packet_loss_percentage: undefined,
    })),
  }));
  return digestOf(toCanonicalJson(steady));
}
