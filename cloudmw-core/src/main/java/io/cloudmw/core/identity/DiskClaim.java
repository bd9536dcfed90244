package io.cloudmw.core.identity;

import io.cloudmw.core.model.fleet.Store;

/**
 * A helper's claim to one of its disks, made when it registers.
 *
 * @param disk with the identity that its directory has, or gets once the helper is registered
 * @param empty whether the directory has no identity yet
 * @param replaces whether an operator said that it replaces a disk whose replicas are lost
 */
public record DiskClaim(Store disk, boolean empty, boolean replaces) {
    /** The claim to a disk that is as it was. */
    public static DiskClaim of(Store disk) {
        return new DiskClaim(disk, false, false);
    }
}
