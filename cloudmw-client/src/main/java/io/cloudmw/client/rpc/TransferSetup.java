package io.cloudmw.client.rpc;

import io.cloudmw.core.model.Mode;
import io.cloudmw.core.placement.ReadPlan;
import io.cloudmw.core.race.Lanes;

/**
 * What every helper of one get is told at its beginning.
 *
 * @param id 32 hexadecimal digits
 * @param mode how it is read, whatever the plan's own mode
 * @param lanes the racers of the plan's helpers
 */
public record TransferSetup(String id, ReadPlan plan, Mode mode, Lanes lanes) {}
