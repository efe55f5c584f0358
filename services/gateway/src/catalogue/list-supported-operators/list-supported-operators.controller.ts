import { Controller, Get } from '@nestjs/common';
import { SUPPORTED_OPERATORS } from '@muster/assisted-api';
import { Accepts } from '../../auth/accepts.decorator';

@Controller('v2/supported-operators')
export class ListSupportedOperatorsController {
  @Get()
  @Accepts('userAuth')
  handle(): readonly string[] {
    return SUPPORTED_OPERATORS;
  }
}
