package com.acme.plug;

import com.acme.shape.Old;
import com.acme.shape.OldLeaf;
import com.acme.shape.Shapes;
import java.util.ArrayList;
import java.util.List;

/** Makes known numbers of objects of instrumented classes and of subclasses that are not, in turns. */
public final class Hierarchy {
    private static final List<Object> KEPT = new ArrayList<>();

    private Hierarchy() {
    }

    private static final class OwnShape extends Shapes.Shape {
    }

    private static final class OwnRound extends Shapes.Round {
    }

    private static final class OwnCircle extends Shapes.Circle {
    }

    private static final class OwnRing extends Shapes.Ring {
    }

    private static final class OwnOld extends Old {
    }

    private static final class OwnOldLeaf extends OldLeaf {
    }

    public static void main(String[] args) {
        for (int i = 0; i < 3000; i++) {
            KEPT.add(new Shapes.Circle());
            KEPT.add(new Shapes.Square().copy());
            KEPT.add(new Old());
            if (i % 2 == 0) {
                KEPT.add(new Shapes.Ring());
                KEPT.add(new OwnShape());
                KEPT.add(new OldLeaf());
            }
            if (i % 3 == 0) {
                KEPT.add(new OwnRound());
                KEPT.add(new OwnOld());
            }
            if (i % 5 == 0) {
                KEPT.add(new OwnCircle());
                KEPT.add(new OwnOldLeaf());
            }
            if (i % 6 == 0) {
                KEPT.add(new OwnRing().copy());
            }
        }
        System.out.println(KEPT.size());
    }
}
