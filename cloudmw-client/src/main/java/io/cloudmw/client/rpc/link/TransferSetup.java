package io.cloudmw.client.rpc.link;

import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.placement.ReadPlan;

/**
 * What every helper of one get is told at its beginning.
 *
 * @param id 32 hexadecimal digits
 * @param lanes the racers of the plan's helpers
 * @param solitary whether helpers need not know each other: see {@code BeginTransfer.solitary}
 * @param urgency how urgent it is to them; its deadline counts from now
 */
public record TransferSetup(String id, ReadPlan plan, LaneLayout lanes, boolean solitary, Urgency urgency) {}
