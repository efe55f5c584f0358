import { type Family, isUnspecified, parseIp } from '@muster/addresses';
import type { Hardware, Route } from '../hardware/hardware';

/** Routes to everywhere through a real gateway, lowest metric first; of one family or of both. */
export function defaultRoutes(hardware: Hardware, family?: Family): readonly Route[] {
  return hardware.routes
    .filter((route) => {
      const [destination, gateway] = [parseIp(route.destination), parseIp(route.gateway)];
      if (!destination || !gateway) return false;
      return isUnspecified(destination) && !isUnspecified(gateway) && (!family || destination.family === family);
    })
    .sort((first, second) => first.metric - second.metric);
}
