package io.cloudmw.client.rpc.link;

import io.cloudmw.core.mode.LaneLayout;
import io.cloudmw.core.model.Urgency;
import io.cloudmw.core.placement.ReadPlan;

/**
 * The parameters with which a get begins at every helper.
 *
 * @param id 32 hexadecimal digits
 * @param lanes the racers of the plan's helpers
 * @param solitary whether helpers need not know each other: see {@code BeginTransfer.solitary}
 * @param urgency the get's urgency; its deadline counts from now
 */
public record TransferSetup(String id, ReadPlan plan, LaneLayout lanes, boolean solitary, Urgency urgency) {}
