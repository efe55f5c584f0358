import { ProgressView } from './progress-view';
import type { ClusterView, HostView } from './rest-client';

const BAR = '░'.repeat(24);
const host = (number: number): HostView => ({
  id: String(number),
  infra_env_id: 'infra-env',
  status: 'installing',
  status_info: '',
  role: 'master',
  requested_hostname: `prod-${number}`,
  progress: { current_stage: 'Waiting for control plane', installation_percentage: 0 },
});
const cluster: ClusterView = {
  id: 'cluster',
  name: 'prod',
  status: 'installing',
  status_info: '',
  hosts: [1, 2, 3].map(host),
};
const clusterRow = `         prod           ${BAR}   0 %  installing`;
const hostRow = (number: number): string =>
  `           prod-${number}       ${BAR}   0 %  master     Waiting for control plane`;

/** A terminal that wraps long lines, moves up and erases below. `text` is its whole content, with what scrolled off its top. */
function terminal(
  columns: number,
  rows: number,
  size: { readonly columns: number; readonly rows: number },
): { readonly out: NodeJS.WriteStream; readonly text: () => string[] } {
  const lines = [''];
  let row = 0;
  const write = (chunk: string): boolean => {
    for (const [, up, erase, text] of chunk.matchAll(/\u001b\[(\d+)A|(\u001b\[J)|([^\u001b])/g)) {
      const top = Math.max(0, lines.length - rows);
      if (up) row = Math.max(top, row - Number(up));
      else if (erase) lines.splice(row, lines.length - row, '');
      else {
        const isFull = lines[row]?.length === columns;
        if (text === '\n' || isFull) row += 1;
        lines[row] ??= '';
        if (text !== '\n') lines[row] += text ?? '';
      }
    }
    return true;
  };
  return { out: { isTTY: true, ...size, write } as NodeJS.WriteStream, text: () => lines };
}

/** @param size The size that the terminal reports. @default its real one */
function shownAfterThreeTexts(columns: number, rows: number, size = { columns, rows }): string[] {
  const { out, text } = terminal(columns, rows, size);
  const view = new ProgressView(out);
  view.show(cluster);
  for (const name of ['first', 'second', 'third']) view.tell(name);
  return text().map((line) => line.replace(/^ +\d+\.\d s/, 'time'));
}

describe('the progress bars of the demo', () => {
  const texts = ['time  first', 'time  second', 'time  third'];
  const bars = [clusterRow, ...[1, 2, 3].map(hostRow)];

  it('are below the texts', () => {
    expect(shownAfterThreeTexts(120, 40)).toEqual([...texts, ...bars, '']);
  });

  it('end at the last column of a terminal that is narrower than a line', () => {
    expect(shownAfterThreeTexts(80, 24)).toEqual([...texts, ...bars.map((line) => line.slice(0, 80)), '']);
  });

  it('leave out the last hosts on a terminal with fewer rows', () => {
    expect(shownAfterThreeTexts(120, 4)).toEqual([...texts, ...bars.slice(0, 3), '']);
  });

  it('are complete on a terminal of unknown size', () => {
    expect(shownAfterThreeTexts(120, 40, { columns: 0, rows: 0 })).toEqual([...texts, ...bars, '']);
  });
});
