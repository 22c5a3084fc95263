package org.weighbridge.jol;

import com.acme.truth.Oracle;
import org.openjdk.jol.info.GraphLayout;
import org.openjdk.jol.vm.VM;

/** The oracle of the truth test: OpenJDK's Java Object Layout. */
public final class JolOracle implements Oracle {
    @Override
    public long deepBytes(Object[] roots) {
        return GraphLayout.parseInstance(roots).totalSize();
    }

    @Override
    public long deepObjects(Object[] roots) {
        return GraphLayout.parseInstance(roots).totalCount();
    }

    @Override
    public long shallowBytes(Object o) {
        return VM.current().sizeOf(o);
    }
}
