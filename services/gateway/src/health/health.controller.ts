import { Controller, Get, HttpCode, Res } from '@nestjs/common';
import { Readiness } from '@muster/nest-kit';
import type { FastifyReply } from 'fastify';
import { AcceptsAnyone } from '../auth/accepts.decorator';

interface ReadinessReport {
  readonly ready: boolean;
  readonly not_ready: readonly { readonly part: string; readonly reason: string }[];
}

@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** The process answers. */
  @Get('health')
  @HttpCode(200)
  @AcceptsAnyone()
  health(): void {}

  /** 200 once every part can do its work, 503 with those that cannot. */
  @Get('ready')
  @AcceptsAnyone()
  ready(@Res({ passthrough: true }) reply: FastifyReply): ReadinessReport {
    const parts = this.readiness.notReady();
    void reply.status(parts.length === 0 ? 200 : 503);
    return { ready: parts.length === 0, not_ready: parts };
  }
}
