package io.cloudmw.hadoop.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractSetTimesTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Hadoop's suite over a volume. */
class SetTimesContractTest extends AbstractContractSetTimesTest {
    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
        return new VolumeContract(configuration);
    }
}
