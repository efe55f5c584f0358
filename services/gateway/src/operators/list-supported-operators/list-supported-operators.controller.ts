import { Controller, Get } from '@nestjs/common';
import { OPERATOR_NAMES } from '@muster/operators';
import { Accepts } from '../../auth/accepts.decorator';

@Controller('v2/supported-operators')
export class ListSupportedOperatorsController {
  @Get()
  @Accepts('userAuth')
  handle(): readonly string[] {
    return [...OPERATOR_NAMES].sort();
  }
}
