package io.cloudmw.hadoop.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractVectoredReadTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Hadoop's suite over a volume, with buffers on the heap and outside. */
@ParameterizedClass(name = "{0} buffers")
@MethodSource("params")
class VectoredReadContractTest extends AbstractContractVectoredReadTest {
    VectoredReadContractTest(String bufferType) {
        super(bufferType);
    }

    @Override
    protected AbstractFSContract createContract(Configuration configuration) {
        return new VolumeContract(configuration);
    }
}
