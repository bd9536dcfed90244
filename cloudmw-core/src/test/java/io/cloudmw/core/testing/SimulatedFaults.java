package io.cloudmw.core.testing;

/**
 * The probabilities of faults in a simulated transfer, 0 to 1.
 *
 * @param killed a helper dies
 * @param paused a helper stops for a while, or for good, without notice
 * @param cut two helpers lose sight of each other for good
 * @param missing a replica is not there
 * @param corrupt a replica has a wrong byte that the racer notices
 * @param dropped an attempt's connection breaks
 * @param stalled an attempt stops moving until the read times out
 * @param brokenRelay a relay breaks
 * @param stalledRelay a helper stops moving in the middle of a relay
 * @param corruptRelay a relay carries a wrong byte that only the destination can notice
 * @param slowReader the application does not read for a while after a leaf
 * @param slow a racer reads a replica a hundred times slower than usual
 */
public record SimulatedFaults(
        double killed,
        double paused,
        double cut,
        double missing,
        double corrupt,
        double dropped,
        double stalled,
        double brokenRelay,
        double stalledRelay,
        double corruptRelay,
        double slowReader,
        double slow) {
    public static final SimulatedFaults NONE = new SimulatedFaults(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    public static final SimulatedFaults SOME =
            new SimulatedFaults(0.2, 0.2, 0.15, 0.1, 0.1, 0.1, 0.05, 0.08, 0.04, 0.05, 0.05, 0.1);
    public static final SimulatedFaults MANY =
            new SimulatedFaults(0.5, 0.5, 0.3, 0.3, 0.3, 0.3, 0.2, 0.3, 0.2, 0.2, 0.15, 0.3);
}
