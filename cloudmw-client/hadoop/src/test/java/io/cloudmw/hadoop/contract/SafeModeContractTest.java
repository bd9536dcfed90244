package io.cloudmw.hadoop.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractSafeModeTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** Hadoop's suite over a volume. */
class SafeModeContractTest extends AbstractContractSafeModeTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
        return new VolumeContract(configuration);
    }

    @Test
    @Disabled("docs/hadoop.md: a cluster has no safe mode")
    @Override
    public void testSafeMode() {}
}
