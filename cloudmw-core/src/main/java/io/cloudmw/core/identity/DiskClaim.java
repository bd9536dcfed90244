package io.cloudmw.core.identity;

import io.cloudmw.core.model.fleet.Store;

/**
 * A helper's claim to one of its disks, made when it registers.
 *
 * @param disk with the identity that its directory has, or gets once the helper is registered
 * @param empty whether the directory has no identity yet
 * @param replaces whether an operator says that it is in the place of a disk whose copies are lost
 */
public record DiskClaim(Store disk, boolean empty, boolean replaces) {
    /** A disk that is there as it was. */
    public static DiskClaim of(Store disk) {
        return new DiskClaim(disk, false, false);
    }
}
