//! The dump that a query reads, and what is computed of it when a row first needs it.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use weighbridge_heapdump::{
    Below, Dominators, Error, FieldValue, Graph, GraphNode, Heap, Instances, NodeIndex, NodeSet, ObjectIndex, Preorder,
    Records, Referrers, Thread, address_text,
};

use crate::columns::SqlCell;
use crate::needs::Needs;

/// A dump.
pub(crate) struct Data {
    pub(crate) heap: Heap,
    pub(crate) threads: Vec<Thread>,
    needs: Needs,
    graph: Mutex<Option<Arc<Graph>>>,
    reachable: OnceLock<NodeSet>,
    unreachable: OnceLock<Instances>,
    instances: OnceLock<Instances>,
    referrers: OnceLock<Referrers>,
    tree: OnceLock<RetainedTree>,
    below: OnceLock<Below>,
    records: OnceLock<Records>,
    loaders: OnceLock<Vec<String>>,
    retained_by_class: OnceLock<Vec<u64>>,
}

/// The dominator tree.
pub(crate) struct RetainedTree {
    pub(crate) dominators: Dominators,
    /// By preorder number.
    pub(crate) retained: Vec<u64>,
}

impl Data {
    pub(crate) fn from_heap(heap: Heap, graph: Graph, needs: Needs) -> Self {
        Data {
            heap,
            threads: graph.threads().to_vec(),
            needs,
            graph: Mutex::new(Some(Arc::new(graph))),
            reachable: OnceLock::new(),
            unreachable: OnceLock::new(),
            instances: OnceLock::new(),
            referrers: OnceLock::new(),
            tree: OnceLock::new(),
            below: OnceLock::new(),
            records: OnceLock::new(),
            loaders: OnceLock::new(),
            retained_by_class: OnceLock::new(),
        }
    }

    /// The references; `None` once the dominators have used them up.
    pub(crate) fn graph(&self) -> Option<Arc<Graph>> {
        self.graph.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The dominators. A query that needs no references gives the graph up for them.
    pub(crate) fn tree(&self) -> &RetainedTree {
        self.tree.get_or_init(|| {
            let mut kept = self.graph.lock().unwrap_or_else(PoisonError::into_inner);
            let graph = if self.needs.references { kept.clone() } else { kept.take() };
            drop(kept);
            let graph = graph.map_or_else(|| Graph::of_lists(&[], &[]), Arc::unwrap_or_clone);
            let dominators = Dominators::from_graph(graph);
            let retained = dominators.retained(|node| self.heap.node_bytes(node));
            RetainedTree { dominators, retained }
        })
    }

    /// What each node dominates.
    pub(crate) fn dominated_nodes(&self) -> &Below {
        self.below.get_or_init(|| Below::from_dominators(&self.tree().dominators))
    }

    /// The objects that the root reaches.
    pub(crate) fn reachable(&self) -> &NodeSet {
        self.reachable.get_or_init(|| {
            if let (Some(graph), false) = (self.graph(), self.needs.dominators) {
                return graph.reachable();
            }
            // The tree has them, and needs a pass less.
            self.tree().dominators.reachable()
        })
    }

    /// Reachable objects by class.
    pub(crate) fn instances(&self) -> &Instances {
        self.instances.get_or_init(|| Instances::from_heap(&self.heap, self.reachable()))
    }

    /// The other objects by class.
    pub(crate) fn unreachable(&self) -> &Instances {
        self.unreachable.get_or_init(|| {
            let mut others = NodeSet::new(self.heap.len());
            let reachable = self.reachable();
            for object in self.heap.objects().filter(|object| !reachable.has(*object)) {
                others.insert(object.into());
            }
            Instances::from_heap(&self.heap, &others)
        })
    }

    /// What refers to each object.
    pub(crate) fn referrers(&self) -> Option<&Referrers> {
        let graph = self.graph()?;
        Some(self.referrers.get_or_init(|| Referrers::from_graph(&graph, self.reachable())))
    }

    /// Where the record of each object is.
    pub(crate) fn records(&self) -> Result<&Records, Error> {
        if let Some(records) = self.records.get() {
            return Ok(records);
        }
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let records = Records::from_heap(&self.heap, threads)?;
        Ok(self.records.get_or_init(|| records))
    }

    /// The name of each class's loader.
    pub(crate) fn loaders(&self) -> &[String] {
        self.loaders.get_or_init(|| self.heap.classes().iter().map(|(class, _)| self.heap.loader_name(class)).collect())
    }

    /// What the instances of each class retain, those below others of the class left out.
    pub(crate) fn retained_by_class(&self) -> &[u64] {
        self.retained_by_class.get_or_init(|| {
            let tree = self.tree();
            let class = |preorder| match tree.dominators.node(preorder) {
                GraphNode::Object(object) => Some(self.heap.class_of(object).as_usize()),
                _ => None,
            };
            self.dominated_nodes().retained_by_group(&tree.retained, self.heap.classes().len(), class)
        })
    }

    /// What a node retains; `None` if the root does not reach it.
    pub(crate) fn retained(&self, node: impl Into<NodeIndex>) -> Option<u64> {
        let tree = self.tree();
        tree.dominators.number_of(node.into()).map(|preorder: Preorder| tree.retained[preorder.as_usize()])
    }

    /// The name of an object's class.
    pub(crate) fn class_name(&self, object: ObjectIndex) -> &str {
        &self.heap.classes().get(self.heap.class_of(object)).name
    }

    /// The address of an object as a cell.
    pub(crate) fn address(&self, object: ObjectIndex) -> SqlCell<'static> {
        SqlCell::Text(Cow::Owned(address_text(self.heap.address(object))))
    }

    /// An address as a cell; 0 is `NULL`.
    pub(crate) fn address_or_null(address: u64) -> SqlCell<'static> {
        if address == 0 { SqlCell::Null } else { SqlCell::from_text(address_text(address)) }
    }

    /// A value of a field as a cell.
    pub(crate) fn cell(value: FieldValue) -> SqlCell<'static> {
        match value {
            FieldValue::Null => SqlCell::Null,
            FieldValue::Reference(address) => SqlCell::from_text(address_text(address)),
            FieldValue::Boolean(value) => SqlCell::Integer(value.into()),
            FieldValue::Char(unit) => SqlCell::from_text(String::from_utf16_lossy(&[unit])),
            FieldValue::Integer(value) => SqlCell::Integer(value),
            FieldValue::Real(value) => SqlCell::Real(value),
        }
    }
}
