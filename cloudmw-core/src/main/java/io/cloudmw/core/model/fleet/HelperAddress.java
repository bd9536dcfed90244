package io.cloudmw.core.model.fleet;

import io.cloudmw.core.model.HelperId;
import io.cloudmw.core.model.volume.VolumeSet;

/**
 * A helper with its addresses.
 *
 * @param control {@code host:port} of its gRPC services
 * @param bulk {@code host:port} of its bulk plane
 * @param switched the volumes it is a switch for
 * @param location where it runs
 * @param blockRequests whether readers may request blocks of volumes that it is no switch for, on the bulk plane
 */
public record HelperAddress(
        HelperId id, String control, String bulk, VolumeSet switched, Location location, boolean blockRequests) {
    /** A helper that takes requests for blocks of its switched volumes only. */
    public HelperAddress(HelperId id, String control, String bulk, VolumeSet switched, Location location) {
        this(id, control, bulk, switched, location, false);
    }

    /** A helper that is no switch, and takes no requests for blocks. */
    public HelperAddress(HelperId id, String control, String bulk) {
        this(id, control, bulk, VolumeSet.NONE, Location.NONE);
    }

    /** The same helper without its volumes, for callers that only connect to it. */
    public HelperAddress withoutVolumes() {
        return new HelperAddress(id, control, bulk, VolumeSet.NONE, location, blockRequests);
    }
}
