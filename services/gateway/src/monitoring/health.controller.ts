import type { Static } from '@muster/assisted-api';
import { type Probe, PROBES, Readiness } from '@muster/nest-kit';
import { Controller, Get, HttpCode, Inject, Res } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import { Answers, AnswersNothing } from '../api-document/answers.decorator';
import { AcceptsAnyone } from '../auth/caller';
import { GatewayReadModels } from '../views/documents';

const READINESS = Type.Object(
  {
    ready: Type.Boolean(),
    not_ready: Type.Array(Type.Object({ part: Type.String(), reason: Type.String() }, { title: 'part-not-ready' })),
  },
  { title: 'readiness' },
);
type ReadinessReport = Static<typeof READINESS>;

const PROBES_VALID_MS = 1_000;

@Controller()
export class HealthController {
  private probed: { readonly atMs: number; readonly failures: Promise<ReadinessReport['not_ready']> } | undefined;

  private readonly timelines: Probe = {
    part: 'timelines',
    // The probe of the read models reports that they cannot be read.
    check: () => this.readModels.timelinesProgress().catch(() => undefined),
  };

  constructor(
    private readonly readiness: Readiness,
    @Inject(PROBES) private readonly probes: readonly Probe[],
    private readonly readModels: GatewayReadModels,
  ) {}

  /** Answers 200 while the process runs. */
  @Get('health')
  @HttpCode(200)
  @AnswersNothing('Check that the process answers.')
  @AcceptsAnyone()
  showHealth(): void {}

  /** Answers 200 when every part works, 503 with the parts that do not. */
  @Get('ready')
  @Answers('Check that every part of the service is ready, and list those that are not.', READINESS, {
    others: { 503: 'A part is not ready.' },
  })
  @AcceptsAnyone()
  async showReadiness(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessReport> {
    const parts = [...this.readiness.notReady(), ...(await this.failedProbes())];
    void reply.status(parts.length === 0 ? 200 : 503);
    return { ready: parts.length === 0, not_ready: parts };
  }

  /** The route needs no authentication: requests within a second share one round of probes. */
  private failedProbes(): Promise<ReadinessReport['not_ready']> {
    const atMs = performance.now();
    if (!this.probed || atMs - this.probed.atMs > PROBES_VALID_MS) {
      const results = [...this.probes, this.timelines].map(async ({ part, check }) => ({
        part,
        reason: await check(),
      }));
      const failures = Promise.all(results).then((all) =>
        all.flatMap(({ part, reason }) => (reason ? [{ part, reason }] : [])),
      );
      this.probed = { atMs, failures };
    }
    return this.probed.failures;
  }
}
