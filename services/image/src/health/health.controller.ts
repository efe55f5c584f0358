import { Controller, Get } from '@nestjs/common';

@Controller()
export class HealthController {
  /** Ready as soon as it listens: a base image is looked at when it is first asked for, and its own errors say what is wrong. */
  @Get('health')
  health(): { readonly status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('live')
  live(): { readonly status: 'ok' } {
    return { status: 'ok' };
  }
}
